export const load = ({ locals }) => locals;
