import * as z from 'zod'

interface Message {
  /** The idempotency key. The provider sends messages with the same id only once. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface EmailSettings {
  readonly apiBase: string
  /** Without a key, requests have no authorization. Without `from`, they have no sender. */
  readonly apiKey?: string | undefined
  readonly from?: string | undefined
}

/** Sends a message through the email provider. Returns the provider's id for it, or null if sending failed. */
export type Mailer = (message: Message) => Promise<string | null>

const timeoutMs = 3000
const Accepted = z.object({ id: z.string() })

/** Without settings it sends nothing and returns null. */
export const createMailer =
  (settings: EmailSettings | null): Mailer =>
  async ({ id, ...message }) => {
    if (settings === null) return null
    const { apiBase, apiKey, from } = settings
    try {
      const response = await fetch(`${apiBase}/emails`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': id,
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ from, ...message }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      return Accepted.parse(await response.json()).id
    } catch {
      return null
    }
  }
