import { critical, link } from "@livery/theme/server";
import { data, Links, Meta, Outlet, Scripts, useLoaderData } from "react-router";
import "./style.css";

/** BRANDS is what ../../brands.mjs prints. */
export async function loader({ request }) {
  const brands = JSON.parse(process.env.BRANDS);
  const asked = /(?:^|; )brand=([^;]*)/.exec(request.headers.get("Cookie") ?? "")?.[1];
  const brand = Object.hasOwn(brands, asked) ? asked : Object.keys(brands)[0];
  const href = brands[brand];
  return data({ brand, brands, css: await critical({ href }) }, { headers: { Link: link({ href }) } });
}

export const headers = ({ loaderHeaders }) => loaderHeaders;

export const meta = () => [{ title: "A shop of two brands" }];

export default function Root() {
  const { css } = useLoaderData();
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <Meta />
        <Links />
        <style dangerouslySetInnerHTML={{ __html: css }} />
      </head>
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  );
}
