import { chosen } from "./brand.mjs";
import { Shop } from "./shop.jsx";

export default async function Page() {
  return <Shop {...await chosen()} />;
}
