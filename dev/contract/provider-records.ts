import * as z from 'zod'
import type { ReadProviders } from '#migration/parity/run/provider-records.ts'

const Emails = z.object({
  records: z.array(z.object({ from: z.string(), to: z.string(), subject: z.string(), text: z.string() })),
})

const read = async (url: string): Promise<unknown> => (await fetch(url)).json()

// Native numbers its checkouts, so that a retry opens the same one. The core does not, so the numbers are left out.
const withoutOrdinals = (records: unknown): unknown =>
  JSON.parse(JSON.stringify(records, (name, value) => (name === 'checkout_ordinal' ? undefined : value)))

/** Reads what the sandbox's email and billing providers hold about a nonce. */
export const createProviderReader =
  (environment: Readonly<Record<string, string | undefined>>): ReadProviders =>
  async (nonce) => {
    const { EMAIL_API_BASE: email, BILLING_API_BASE: billing } = environment
    const { records } = Emails.parse(await read(`${email}/emails`))
    return {
      emails: records.filter((record) => JSON.stringify(record).includes(nonce)),
      customers: withoutOrdinals(await read(`${billing}/sandbox/records?about=${nonce}`)),
    }
  }
