// The operations of the OpenAPI document, as a form needs them.
import type { JSONValue } from "../../state/token";

type Node = { [name: string]: JSONValue };
export interface Parameter {
	name: string;
	in: "path" | "query" | "header";
	required: boolean;
	example: string;
	description: string;
}
export interface Operation {
	id: string;
	method: string;
	path: string;
	summary: string;
	role: string;
	parameters: Parameter[];
	body: string | null; // an example; null if it takes none
}

const methods = ["get", "post", "put", "patch", "delete"];
const text = (value: JSONValue | undefined): string => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

/** All operations of a document. */
export function operationsOf(document: Node): Operation[] {
	const follow = (value: JSONValue | undefined): Node => {
		let node = (value ?? {}) as Node;
		for (let i = 0; typeof node.$ref === "string" && i < 8; i++) {
			node = node.$ref.slice(2).split("/").reduce<Node>((n, name) => (n[name.replaceAll("~1", "/").replaceAll("~0", "~")] ?? {}) as Node, document);
		}
		return node;
	};
	const list: Operation[] = [];
	for (const [path, item] of Object.entries(document.paths as Node)) {
		for (const method of methods) {
			const operation = (item as Node)[method] as Node | undefined;
			if (!operation) continue;
			const parameters = [...(((item as Node).parameters ?? []) as JSONValue[]), ...((operation.parameters ?? []) as JSONValue[])].map(follow).map((p) => ({
				name: text(p.name), in: p.in as Parameter["in"], required: p.required === true, example: text(p.example), description: text(p.description),
			}));
			const content = follow(follow(operation.requestBody).content)["application/json"] as Node | undefined;
			const example = content ? (follow(Object.values((content.examples ?? {}) as Node)[0]).value ?? {}) : null;
			list.push({
				id: text(operation.operationId), method: method.toUpperCase(), path, summary: text(operation.summary), role: text(operation["x-livery-role"]), parameters,
				body: content ? JSON.stringify(example, null, 2) : null,
			});
		}
	}
	return list;
}

/** The request that filled-in values make; missing lists what is needed yet. */
export function requestOf(operation: Operation, values: Readonly<Record<string, string>>): { path: string; query: Record<string, string>; headers: Record<string, string>; missing: string[] } {
	const request = { path: operation.path, query: {} as Record<string, string>, headers: {} as Record<string, string>, missing: [] as string[] };
	for (const p of operation.parameters) {
		const value = values[p.name] ?? "";
		if (!value) {
			if (p.required) request.missing.push(p.name);
		} else if (p.in === "path") request.path = request.path.replace(`{${p.name}}`, encodeURIComponent(value));
		else if (p.name === "label" && value.includes("=")) request.query[`label.${value.slice(0, value.indexOf("="))}`] = value.slice(value.indexOf("=") + 1);
		else request[p.in === "query" ? "query" : "headers"][p.name] = value;
	}
	return request;
}
