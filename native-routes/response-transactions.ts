import type { Label, RowOf } from '#contracts/route-table.ts'

/**
 * Which transaction stores the response to an idempotency key.
 *
 * - `handler`: the handler's only transaction, which holds its effect and returns its result.
 * - `pipeline`: a separate one, run by the pipeline after the handler has called its provider. If the response is not
 *   stored, a retry repeats the handler's work, which must then have the same outcome: provider calls derive their keys
 *   from the client's, and `retries.once` keeps what must not be computed again.
 * - `none`: the response is not stored and the key is ignored, because an event stream cannot be replayed and the model
 *   provider does not support idempotency keys.
 */
export type ResponseTransaction = 'handler' | 'pipeline' | 'none'

type LabelsWith<Effects> = {
  [L in Label]: RowOf<L>[4] extends Effects ? (RowOf<L>[2] extends `actor${string}` ? L : never) : never
}[Label]

const externalRows: Readonly<Record<LabelsWith<'external'>, ResponseTransaction>> = {
  'billing.checkout': 'pipeline',
  'billing.portal': 'pipeline',
  'billing.change-plan': 'pipeline',
  'billing.cancel': 'pipeline',
  'billing.resume': 'pipeline',
  'tracks.processing.retry': 'handler',
  'tracks.versions.upload': 'handler',
  'tracks.versions.promote': 'handler',
  'tracks.versions.remove': 'handler',
  'tracks.artwork.upload': 'handler',
  'tracks.documents.upload': 'handler',
  'tracks.uploads.finalize': 'handler',
  'packs.invitations.create': 'handler',
  'catalog-analysis.ask': 'none',
}

const declared: { readonly [L in Label]?: ResponseTransaction } = externalRows

/** A route that changes only the database has just one: the handler's. */
export const responseTransactionOf = (label: Label): ResponseTransaction => declared[label] ?? 'handler'
