import type { Label } from '#contracts/route-table.ts'

/**
 * Compared routes whose success no scenario can show, and why. Without a success, any other route fails the contract
 * run.
 */
export const unseenSuccesses: { readonly [L in Label]?: string } = {}
