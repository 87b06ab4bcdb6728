import { useRouteLoaderData } from "react-router";
import { Shop } from "./shop.jsx";

export default function Home() {
  const { brand, brands } = useRouteLoaderData("root");
  return <Shop brand={brand} brands={brands} />;
}
