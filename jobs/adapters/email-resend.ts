import * as z from 'zod'
import { referenceTag } from '#contracts/shared/provider-events.ts'
import { fetchTraced } from '#shared/fetch-traced.ts'
import type { EmailOutcome, EmailPort } from '../ports.ts'
import { RetryLaterError } from '../retry-later-error.ts'

export interface ResendOptions {
  readonly apiKey: string
  readonly apiBase: string | undefined
  readonly from: string
}

/** It contains only the status, because the response's text may quote the recipient's address. */
class EmailProviderError extends RetryLaterError {
  override name = 'EmailProviderError'
  constructor({ status, headers }: Response) {
    const retryAfterS = parseRetryAfter(headers.get('retry-after'))
    super('email_unavailable', `the e-mail provider returned status ${status}`, { retryAfterS })
  }
}

const maxRetryAfterS = 86_400

// RFC 9110, section 10.2.3: seconds or a date
const parseRetryAfter = (value: string | null) => {
  if (value === null) return null
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000)
  return seconds >= 0 ? Math.min(seconds, maxRetryAfterS) : null
}

const timeoutMs = 10_000

// These statuses mean that the email itself is wrong, for example its recipient. Everything else (a key, a URL, a
// changed API) may be fixed before a later attempt.
const rejectingStatuses: ReadonlySet<number> = new Set([400, 422])
const senderRejected = 'invalid_from_address'

const Accepted = z.object({ id: z.string().min(1).max(255) })
const Rejected = z.object({ name: z.string().regex(/^[a-z_]{1,64}$/) })

const readRejection = async (response: Response): Promise<EmailOutcome> => {
  const { status } = response
  const reason = Rejected.safeParse(await response.json().catch(() => null)).data?.name ?? null
  // The id was already used with different content, such as another sender, so an email with this id was accepted
  // before.
  if (status === 409 && reason === 'invalid_idempotent_request') return { kind: 'accepted-before' }
  if (!rejectingStatuses.has(status) || reason === senderRejected) throw new EmailProviderError(response)
  return { kind: 'rejected', status, reason }
}

/** An email's id is its idempotency key and its reference. */
export const createResendEmail = (options: ResendOptions): EmailPort => ({
  async send({ id, ...message }, signal) {
    const { apiKey, apiBase = 'https://api.resend.com', from } = options
    const response = await fetchTraced('e-mail provider', `${apiBase.replace(/\/+$/, '')}/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': id,
        // Resend rejects requests without a user agent.
        'user-agent': 'crossfade',
      },
      body: JSON.stringify({ from, ...message, tags: [{ name: referenceTag, value: id }] }),
      // Following a redirect would send the API key to a different host, so a redirect counts as an error.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (!response.ok) return readRejection(response)
    return { kind: 'accepted', providerEmailId: Accepted.parse(await response.json()).id }
  },
})
