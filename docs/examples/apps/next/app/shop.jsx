"use client";
import { LiveryTheme, useTheme } from "@livery/theme/react";
import { useState } from "react";

export function Shop({ brands, brand: first }) {
  const [brand, setBrand] = useState(first);
  const choose = (name) => {
    setBrand(name);
    document.cookie = `brand=${name}; path=/; max-age=31536000; samesite=lax`;
  };
  return (
    <LiveryTheme href={brands[brand]} live>
      <main>
        {Object.keys(brands).map((name) => (
          <button key={name} type="button" aria-pressed={name === brand} onClick={() => choose(name)}>{name}</button>
        ))}
        <Buy brand={brand} />
      </main>
    </LiveryTheme>
  );
}

function Buy({ brand }) {
  const { state } = useTheme();
  return <button id="buy" type="button" data-state={state}>Buy from {brand}</button>;
}
