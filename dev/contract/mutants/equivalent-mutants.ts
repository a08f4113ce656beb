/** Mutants that no response can show, by id, with the reason. */
export const equivalentMutants: Readonly<Record<string, string>> = {}
