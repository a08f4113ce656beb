import type { Label } from '#contracts/route-table.ts'

/** The compared routes whose success no scenario can show, each with the reason. For every other one, the contract run fails. */
export const unseenSuccesses: { readonly [L in Label]?: string } = {}
