export interface Offline {
	/** The address of the edge, as in Address. */
	base: string;
	/** Milliseconds that latest waits for the edge if an earlier answer is held; 1,000. */
	timeout?: number;
	/** Files that are held at most; 50. */
	most?: number;
	/** Addresses to fetch when the worker is installed, such as that of the brand. */
	first?: string[];
}

/**
 * Answers for the files of an edge in a service worker: a version from what is held, latest and manifests from the edge,
 * and from what is held if the edge is away, hangs or fails. All other requests stay as they are.
 */
export declare function offline(options: Offline): void;
