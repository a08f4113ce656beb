import { fetchTraced } from '#shared/fetch-traced.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import type { AnalysisPort } from '../ports.ts'
import { RetryLaterError } from '../retry-later-error.ts'

export interface AnalysisService {
  readonly url: string
  /** Signs both the requests to the service and its callbacks. */
  readonly secret: string
  readonly callbackUrl: string
}

const timeoutMs = 10_000

const createSignature = (body: Uint8Array, secret: string, now: number) => {
  const timestamp = String(Math.floor(now / 1000))
  return `t=${timestamp},v1=${signHmac(secret, `${timestamp}.`, body).toString('hex')}`
}

/** Any 2xx means the service will call back. */
export const createAnalysisService = (service: AnalysisService): AnalysisPort => ({
  async dispatch(request) {
    const { url, secret, callbackUrl } = service
    const body = new TextEncoder().encode(JSON.stringify({ ...request, callbackUrl }))
    const response = await fetchTraced('analysis service', url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'media-intelligence-signature': createSignature(body, secret, Date.now()),
      },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause) => {
      throw new RetryLaterError('analysis_unreachable', 'the analysis service does not respond', { cause })
    })
    await response.body?.cancel()
    if (!response.ok)
      throw new RetryLaterError(
        'analysis_unreachable',
        `the analysis service returned status ${response.status}`,
      )
  },
})
