// node brands.mjs ENVIRONMENT THEME [FILE]: prints the brands of a Theme, which are the Theme and its Variants,
// and where the latest FILE (tokens.css) of each is served, as a JSON object from slug to address.
import { execFileSync } from "node:child_process";

const [env, theme, file = "tokens.css"] = process.argv.slice(2);
const livery = (...args) => JSON.parse(execFileSync("livery", [...args, "--env", env, "--json"], { encoding: "utf8" }));
const brands = [livery("theme", "show", theme), ...livery("variant", "list", "--theme", theme)];
const addressOf = (brand) => brand.servingUrls.latest.find((served) => served.file === file)?.url;
console.log(JSON.stringify(Object.fromEntries(brands.map((brand) => [brand.slug, addressOf(brand)])), null, 2));
