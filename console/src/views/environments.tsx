import { caller } from "../api/session";
import { useEnvironments } from "../state/here";
import { href } from "../state/router";
import { Badge, Empty, Waiting } from "../ui/controls";
import { More } from "./lists";

export function Environments() {
	const list = useEnvironments();
	const { data, error } = list.state.value;
	if (!data || error) return <Waiting of={list} what="Reading your Environments" />;
	if (data.items.length === 0) {
		return (
			<Empty title="You may see no Environment yet">
				<p>An Environment holds Themes. The operator makes one and gives you a role in it, in the teams file of the origin:</p>
				<pre>{`grants:\n  - subject: ${caller.value?.subject}\n    environment: sandbox\n    role: editor`}</pre>
			</Empty>
		);
	}
	return (
		<>
			<h1>Environments</h1>
			<ul class="cards">
				{data.items.map((e) => (
					<li key={e.id}>
						<a class="card" href={href.environment(e.id)}>
							<h2>{e.displayName}</h2>
							<p><Badge kind={e.kind === "production" ? "accent" : ""}>{e.kind}</Badge> <Badge>{e.role}</Badge></p>
							{e.description && <p>{e.description}</p>}
							<p class="muted">Files of <code>latest</code> are at most {e.cacheLifetime} s old.</p>
						</a>
					</li>
				))}
			</ul>
			<More of={list} />
		</>
	);
}
