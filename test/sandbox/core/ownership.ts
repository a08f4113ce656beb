import { expect } from 'vitest'
import type { Caller } from './running-core.ts'

type Attempt = [method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string]

/** Somebody who owns nothing here gets this 404 from each attempt, before anything is said about the body. */
export const expectStrangersToMeet = async (stranger: Caller, error: string, attempts: Attempt[]) => {
  for (const [method, path] of attempts) {
    const { status, body } = await stranger[method](path)
    expect({ attempt: `${method} ${path}`, status, body }).toEqual({
      attempt: `${method} ${path}`,
      status: 404,
      body: { error },
    })
  }
}
