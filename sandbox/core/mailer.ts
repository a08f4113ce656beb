import * as z from 'zod'

interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Hands a message to the e-mail provider; answers its id there, or null where it could not be handed over. */
export type Mailer = (message: Message) => Promise<string | null>

const timeoutMs = 3000
const Accepted = z.object({ id: z.string() })

/** Without a provider nothing is ever handed over. */
export const createMailer =
  (apiBase: string | null): Mailer =>
  async (message) => {
    if (apiBase === null) return null
    try {
      const response = await fetch(`${apiBase}/emails`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(timeoutMs),
      })
      return Accepted.parse(await response.json()).id
    } catch {
      return null
    }
  }
