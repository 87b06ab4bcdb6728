package process

// descriptorLimit returns how many handles the process may have open.
func descriptorLimit() int { return mostDescriptors }
