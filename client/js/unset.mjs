/** What options that an application leaves out mean for Theme.set, which would keep those of before. */
export const unset = { href: undefined, variant: undefined, version: undefined, modes: undefined };
