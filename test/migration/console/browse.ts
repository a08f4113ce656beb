import { expect } from 'vitest'
import type { TestGateway } from '#test/support/gateway.ts'
import { operatorTokens } from '#test/support/operators.ts'

export interface SentForm {
  readonly cookie?: string
  readonly headers?: Record<string, string>
}

const formHeaders = ({ cookie, headers = {} }: SentForm) => ({
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
  ...(cookie === undefined ? {} : { cookie }),
  ...headers,
})

export const createConsoleClient = (gateway: TestGateway) => {
  const post = (path: string, fields: Record<string, string>, sent: SentForm = {}) =>
    gateway.requestAdmin('POST', path, {
      body: String(new URLSearchParams(fields)),
      headers: formHeaders(sent),
    })
  const get = (path: string, cookie?: string, headers: Record<string, string> = {}) =>
    gateway.requestAdmin('GET', path, { headers: { ...(cookie ? { cookie } : {}), ...headers } })
  const signIn = async (name: keyof typeof operatorTokens = 'alice') => {
    const response = await post('/console/sign-in', { token: operatorTokens[name] })
    expect(response.status).toBe(303)
    return response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  }
  return { post, get, signIn }
}
