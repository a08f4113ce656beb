import type { Label, RowOf } from '#contracts/route-table.ts'

/**
 * Which transaction stores the response of a request with an idempotency key.
 *
 * - `handler`: the only transaction of the handler, which holds its effect. What it returns is the result of the handler.
 * - `pipeline`: one of the pipeline, after the handler has called its provider. Whatever a retry repeats before it must
 *   have the same outcome: the calls of the provider derive their keys from that of the client, and `retries.once` keeps
 *   what must not be computed again.
 * - `none`: the response is not stored, and the key is ignored. A stream of events is no response that could be repeated,
 *   and the provider of the model has no keys.
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

/** Where the response of a route with effects is stored. A route that only writes has one transaction. */
export const responseTransactionOf = (label: Label): ResponseTransaction => declared[label] ?? 'handler'
