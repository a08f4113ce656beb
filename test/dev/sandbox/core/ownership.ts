import { expect } from 'vitest'
import type { Caller } from './running-core.ts'

type OwnershipRequest = [method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string]

/** Expects each request of an account that is not the owner to return this 404 error, before body validation. */
export const expectNotFoundForOthers = async (
  caller: Caller,
  error: string,
  attempts: OwnershipRequest[],
) => {
  for (const [method, path] of attempts) {
    const { status, body } = await caller[method](path)
    expect({ attempt: `${method} ${path}`, status, body }).toEqual({
      attempt: `${method} ${path}`,
      status: 404,
      body: { error },
    })
  }
}
