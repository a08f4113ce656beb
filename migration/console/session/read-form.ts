import { ApiFailure } from '../api-client.ts'
import type { ConsoleContext } from '../respond.ts'

const formType = /^application\/x-www-form-urlencoded(?:;|$)/i

/** Reads the fields of a submitted form by name. An empty field counts as missing. Throws `ApiFailure`. */
export const readForm = async ({ env, req }: ConsoleContext): Promise<ReadonlyMap<string, string>> => {
  if (!formType.test(req.header('content-type') ?? ''))
    throw new ApiFailure(400, {
      error: 'bad_request',
      message: 'Only the console’s own forms can be sent here.',
    })
  const text = new TextDecoder().decode(await env.context.readBody())
  return new Map([...new URLSearchParams(text)].filter(([, value]) => value !== ''))
}
