import { cookies } from "next/headers";

/** The brand of this reader, and all brands: BRANDS is what ../../brands.mjs prints. */
export async function chosen() {
  const asked = (await cookies()).get("brand")?.value; // first, so that Next renders nothing when it builds
  const brands = JSON.parse(process.env.BRANDS);
  return { brands, brand: Object.hasOwn(brands, asked) ? asked : Object.keys(brands)[0] };
}
