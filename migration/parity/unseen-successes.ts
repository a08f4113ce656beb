import type { Label } from '#contracts/route-table.ts'

/** Compared routes whose success no scenario can show, with the reason. For any other, the contract run fails. */
export const unseenSuccesses: { readonly [L in Label]?: string } = {}
