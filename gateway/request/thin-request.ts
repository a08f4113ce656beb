import type { InspectedRequest } from '../edge/inspect-request.ts'

export interface RequestSource {
  readonly method: string
  url(): string
  readonly hasBody: boolean
  headers(): Headers
}

const rejectBody = (): never => {
  throw new Error(
    'middleware cannot read the request body: it can be read only once, by the handler or the core',
  )
}

/** A platform `Request` costs more than serving a typical request, and would let middleware consume the body first. */
class ThinRequest {
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
    return this.#source.hasBody ? rejectBody() : null
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

// Hono's types require a full Request, but Hono uses none of the missing members.
const asRequest = (request: ThinRequest) => request as unknown as Request

export const createThinRequest = (source: RequestSource): Request => asRequest(new ThinRequest(source))

/** Replaces a host that is valid in HTTP but not in a URL, such as `999.1.1.1`. */
export const createRequestUrl = (protocol: 'http:' | 'https:', { host, target }: InspectedRequest) => {
  const path = target.target.startsWith('/') ? target.target : `/${target.target}`
  const url = `${protocol}//${host}${path}`
  return URL.canParse(url) ? url : `${protocol}//localhost${path}`
}
