import type { Label } from '../../route-table.ts'

/** What a reader of the API description needs to know of an operation. */
export interface OperationText {
  /** A few words, as in a table of contents. */
  readonly summary: string
  readonly description: string
  /** What a success means; by status if there are several. */
  readonly success: string | Readonly<Record<number, string>>
  /** An example of the request body. */
  readonly body?: object
}

/** The texts of the operations of an area, by the first part of their labels. */
export type TextsOf<Area extends string> = {
  readonly [L in Extract<Label, `${Area}.${string}`>]: OperationText
}
