import { critical } from "@livery/theme/server";
import { chosen } from "./brand.mjs";
import "./style.css";

export const metadata = { title: "A shop of two brands" };

export default async function Layout({ children }) {
  const { brand, brands } = await chosen();
  return (
    <html lang="en">
      <head>
        <style dangerouslySetInnerHTML={{ __html: await critical({ href: brands[brand] }) }} />
      </head>
      <body>{children}</body>
    </html>
  );
}
