import * as z from 'zod'
import { operatorTokens } from '#test/support/operators.ts'
import type { Instance } from './instance.ts'

const Changed = z.object({ epoch: z.number() })

interface Rejected {
  readonly status: number
  readonly message: string
}

const send = async ({ adminUrl }: Instance, method: string, path: string, body: object) => {
  const response = await fetch(adminUrl + path, {
    method,
    headers: { authorization: `Bearer ${operatorTokens.alice}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, reason: 'measured' }),
  })
  return { status: response.status, text: await response.text() }
}

/** The database did not respond, so the change may or may not have been made. */
export class ChangeUnknown extends Error {
  override name = 'ChangeUnknown'
}

const requireEpoch = ({ status, text }: Awaited<ReturnType<typeof send>>) => {
  if (status === 503) throw new ChangeUnknown(text)
  if (status !== 200) throw new Error(`a routing change was rejected with status ${status}: ${text}`)
  return Changed.parse(JSON.parse(text)).epoch
}

type Change =
  | { readonly kind: 'shadow' | 'kill' | 'resume' }
  | { readonly kind: 'ramp'; readonly weightBp: number }

const changesOf = (scope: string) => `/api/routes/${encodeURIComponent(scope)}/changes`

/**
 * Changes a scope's state through one instance's API and returns the epoch. Throws `ChangeUnknown` if the database does
 * not respond, or another error if the change is refused.
 */
export const changeRoute = async (instance: Instance, scope: string, change: Change): Promise<number> =>
  requireEpoch(await send(instance, 'POST', changesOf(scope), { change }))

export const requestRefusedChange = async (
  instance: Instance,
  scope: string,
  change: Change,
): Promise<Rejected> => {
  const { status, text } = await send(instance, 'POST', changesOf(scope), { change })
  return { status, message: text }
}

/** Selects a side for one account, or removes the selection. Returns the epoch. Throws like `changeRoute`. */
export const overrideAccount = async (
  instance: Instance,
  scope: string,
  accountId: string,
  side: 'core' | 'native' | null,
): Promise<number> =>
  requireEpoch(
    side === null
      ? await send(instance, 'DELETE', '/api/overrides', { accountId, scope })
      : await send(instance, 'PUT', '/api/overrides', { accountId, scope, side }),
  )
