import type { ParamsOption, RequestBodyOption } from 'openapi-fetch'
import type { operations, paths } from './schema.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [K in M]: { readonly responses: unknown } } ? P : never
}[keyof paths]

interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** The maximum number of retries for this request. Overrides the client's setting. */
  readonly retries?: number
  /**
   * Identifies a write, so the service recognizes a retry. Use a new key for each user action, and keep it if the
   * action is repeated, for example after a restart. Random by default.
   */
  readonly idempotencyKey?: string
}

export type CallInit<Operation> = ParamsOption<Operation> & RequestBodyOption<Operation> & CallOptions

export type Arguments<Init> = Record<never, never> extends Init ? [init?: Init] : [init: Init]

type BodyOf<Described> = Described extends { readonly content: { readonly 'application/json': infer Body } }
  ? Body
  : undefined

/** The body of an operation's successful responses; undefined for 204. */
export type ResultOf<Operation> = Operation extends { readonly responses: infer Responses }
  ? { [S in keyof Responses & (200 | 201 | 202 | 204)]: BodyOf<Responses[S]> }[keyof Responses &
      (200 | 201 | 202 | 204)]
  : never

/**
 * Calls an operation by its path template and returns the response body.
 * @throws {ApiError} for an error response or no response; the signal's reason if the signal is aborted
 */
type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...init: Arguments<CallInit<paths[P][M]>>
) => Promise<ResultOf<paths[P][M]>>

/** A client of the service. All its calls share one token. */
export interface Client {
  readonly get: Call<'get'>
  readonly post: Call<'post'>
  readonly put: Call<'put'>
  readonly patch: Call<'patch'>
  readonly delete: Call<'delete'>
  /** Opens an operation's event stream without reading its body. See `askCatalog`. */
  readonly stream: (
    path: '/v1/catalog-analysis',
    init: CallInit<operations['catalog-analysis.ask']>,
  ) => Promise<Response>
}
