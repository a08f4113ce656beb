import { describe, expect, it } from 'vitest'
import { readSettings } from '#gateway/settings/settings.ts'
import { completeSettings } from './complete-settings.ts'

const valid = { OIDC_ISSUER: 'https://login.test', OIDC_CLIENT_ID: 'console', OIDC_ROLES: 'platform:write' }

const read = (environment: Record<string, string>) => readSettings({ ...completeSettings, ...environment })

describe('the single sign-on settings', () => {
  it("keep an issuer's trailing slash, because it is part of the issuer's name", () => {
    const issuer = 'https://login.test/application/console/'
    expect(read({ ...valid, OIDC_ISSUER: issuer }).OIDC_ISSUER).toBe(issuer)
  })

  it('split a role from its group at the last colon', () => {
    expect(read({ ...valid, OIDC_ROLES: 'a:b:read, /teams/platform:write' }).OIDC_ROLES).toEqual([
      { group: 'a:b', role: 'read' },
      { group: '/teams/platform', role: 'write' },
    ])
  })

  it.each([
    ['a remote http issuer', { OIDC_ISSUER: 'http://login.test' }, 'OIDC_ISSUER must be an https URL'],
    ['a missing client ID', { OIDC_CLIENT_ID: '' }, 'OIDC_CLIENT_ID is missing'],
    ['missing roles', { OIDC_ROLES: '' }, 'OIDC_ROLES is missing'],
    ['an unknown role', { OIDC_ROLES: 'platform:admin' }, 'OIDC_ROLES must be'],
    ['the role of contract runs', { OIDC_ROLES: 'ci:contract' }, 'OIDC_ROLES must be'],
    ['a scope without an ID token', { OIDC_SCOPE: 'profile' }, 'OIDC_SCOPE must contain openid'],
  ])('reject %s', (_, environment, message) => {
    expect(() => read({ ...valid, ...environment })).toThrow(message)
  })

  it('accept an http issuer on this machine', () => {
    expect(read({ ...valid, OIDC_ISSUER: 'http://localhost:8080' }).OIDC_ISSUER).toBe('http://localhost:8080')
  })
})
