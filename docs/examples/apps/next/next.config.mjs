import { dirname } from "node:path";

export default { turbopack: { root: dirname(dirname(import.meta.dirname)) } }; // for the libraries, two folders above
