import { expect } from 'vitest'
import type { Caller } from './running-core.ts'

type OwnershipRequest = [method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string]

/** Expects each request from an account that is not the owner to get this 404 error before its body is validated. */
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
