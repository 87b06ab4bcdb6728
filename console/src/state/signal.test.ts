import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { batch, computed, effect, signal } from "./signal";

test("an effect runs once for each change of what it read last", () => {
	const [a, b, which] = [signal(1), signal(10), signal(true)];
	const seen: number[] = [];
	effect(() => void seen.push(which.value ? a.value : b.value));
	b.value = 11;
	a.value = 2;
	a.value = 2;
	which.value = false;
	a.value = 3;
	b.value = 12;
	deepEqual(seen, [1, 2, 11, 12]);
});

test("a computed value is made once for each state, and only if it is read", () => {
	const list = signal([1, 2, 3]);
	let made = 0;
	const sum = computed(() => (made++, list.value.reduce((x, y) => x + y, 0)));
	const even = computed(() => sum.value % 2 === 0);
	const seen: boolean[] = [];
	equal(made, 0);
	effect(() => void seen.push(even.value));
	equal(sum.value, 6);
	list.value = [4];
	list.value = [5];
	deepEqual([made, sum.value, seen], [3, 5, [true, false]]);
	signal(0).value = 1; // what nothing depends on
	equal(sum.value, 5);
	equal(made, 3);
});

test("a computed value follows what it reads now", () => {
	const [far, near, use] = [signal("far"), signal("near"), signal(false)];
	const one = computed(() => (use.value ? far.value : near.value));
	const two = computed(() => one.value.length);
	const seen: number[] = [];
	effect(() => void seen.push(two.value));
	use.value = true;
	far.value = "farther";
	near.value = "next to it";
	deepEqual(seen, [4, 3, 7]);
});

test("several changes are one in a batch, also in batches of a batch, and after an error", () => {
	const [a, b] = [signal(1), signal(1)];
	const seen: number[] = [];
	effect(() => void seen.push(a.value * b.value));
	batch(() => {
		a.value = 2;
		batch(() => (b.value = 3));
		equal(seen.length, 1);
	});
	try {
		batch(() => {
			a.value = 5;
			throw new Error("no");
		});
	} catch {
		b.value = 4;
	}
	batch(() => {
		a.value = 6;
		a.value = 5;
	});
	deepEqual(seen, [1, 6, 15, 20]);
});

test("an effect may change what other effects read, and its own", () => {
	const [n, twice] = [signal(1), signal(0)];
	const seen: number[] = [];
	effect(() => {
		twice.value = 2 * n.value;
		if (n.value > 4) n.value = 4;
	});
	effect(() => void seen.push(twice.value));
	n.value = 3;
	n.value = 9;
	deepEqual([seen, n.value], [[2, 6, 18, 8], 4]);
});
