import type { Label } from '#contracts/route-table.ts'

/** The code that prepares the request of a scenario. */
export interface Preparation {
  /** Names that it imports, by file in `test/scenarios`. */
  readonly imports: Readonly<Record<string, readonly string[]>>
  readonly steps: readonly string[]
  /** The request, as an object literal. */
  readonly request: string
}

export type Preparations = { readonly [L in Label]?: Preparation }
