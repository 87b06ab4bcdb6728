package cmdline

// VersionFlag is the flag of the program itself that prints which build it is.
const VersionFlag = "version"
