/** Where a request gets its parts from, each only once it is asked for. */
export interface RequestSource {
  readonly method: string
  /** Absolute. */
  url(): string
  headers(): Headers
}

const rejectBody = (): never => {
  throw new Error('middleware cannot read the body of a request: the gateway reads or streams it once')
}

/**
 * A request as Hono and middleware see it. A `Request` of the platform would cost more than serving many a request, and
 * would let middleware take the body away from the handler or from the core.
 */
class LazyRequest {
  readonly #source: RequestSource
  readonly method: string
  #headers: Headers | undefined

  constructor(source: RequestSource) {
    this.#source = source
    this.method = source.method
  }

  get url() {
    return this.#source.url()
  }

  get headers() {
    this.#headers ??= this.#source.headers()
    return this.#headers
  }

  get body() {
    return rejectBody()
  }

  async text() {
    return rejectBody()
  }

  async json() {
    return rejectBody()
  }

  async bytes() {
    return rejectBody()
  }

  async blob() {
    return rejectBody()
  }

  async formData() {
    return rejectBody()
  }

  async arrayBuffer() {
    return rejectBody()
  }

  clone() {
    return rejectBody()
  }
}

// Hono's types ask for a whole Request; of the parts that are missing it uses none by itself.
const asRequest = (request: LazyRequest) => request as unknown as Request

export const createLazyRequest = (source: RequestSource): Request => asRequest(new LazyRequest(source))
