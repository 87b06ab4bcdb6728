import { LiveryTheme, useTheme } from "@livery/theme/react";
import { useState } from "react";

// brands: { Acme: { base, env, theme, variant: "-" }, Midnight: { … } }
export function App({ brands }) {
	const [brand, setBrand] = useState(Object.keys(brands)[0]);
	return (
		<LiveryTheme {...brands[brand]}>
			<main>
				{Object.keys(brands).map((name) => (
					<button key={name} type="button" aria-pressed={name === brand} onClick={() => setBrand(name)}>{name}</button>
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
