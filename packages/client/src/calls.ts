import type { ParamsOption, RequestBodyOption } from 'openapi-fetch'
import type { operations, paths } from './schema.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The path templates that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [K in M]: { readonly responses: unknown } } ? P : never
}[keyof paths]

interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** How often this request is repeated at most, in place of the client's own number. */
  readonly retries?: number
  /**
   * The key by which the service recognizes a repetition of a write: a new one for each action of the user, which is kept
   * if the action is repeated, for example after a restart. A random key by default.
   */
  readonly idempotencyKey?: string
}

/** The parameters and the body of an operation, and the options of each call. */
export type CallInit<Operation> = ParamsOption<Operation> & RequestBodyOption<Operation> & CallOptions

/** An argument that may be omitted if none of its fields is required. */
export type Arguments<Init> = Record<never, never> extends Init ? [init?: Init] : [init: Init]

type BodyOf<Described> = Described extends { readonly content: { readonly 'application/json': infer Body } }
  ? Body
  : undefined

/** The body of the successful responses of an operation; undefined for 204. */
export type ResultOf<Operation> = Operation extends { readonly responses: infer Responses }
  ? { [S in keyof Responses & (200 | 201 | 202 | 204)]: BodyOf<Responses[S]> }[keyof Responses &
      (200 | 201 | 202 | 204)]
  : never

/**
 * Calls an operation by its path template and returns the body of its response.
 *
 * @throws {ApiError} for an error response, or without a response; the reason of the signal if it is aborted
 */
type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...init: Arguments<CallInit<paths[P][M]>>
) => Promise<ResultOf<paths[P][M]>>

/** A client of the service. All of its calls share one token. */
export interface Client {
  readonly get: Call<'get'>
  readonly post: Call<'post'>
  readonly put: Call<'put'>
  readonly patch: Call<'patch'>
  readonly delete: Call<'delete'>
  /** Opens the stream of events of an operation, whose body is not read yet: see `askCatalog`. */
  readonly stream: (
    path: '/v1/catalog-analysis',
    init: CallInit<operations['catalog-analysis.ask']>,
  ) => Promise<Response>
}
