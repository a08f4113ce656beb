import * as z from 'zod'
import { asUrl } from './describe-value.ts'
import { operatorRoles } from './operators.ts'
import { splitList } from './read-environment.ts'
import { apiKey, httpUrl, origin, type Rule } from './setting-types.ts'

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

// The issuer's responses say who may move routes. Without TLS, anyone on the network path could forge them.
const isConfidential = (text: string) => {
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || loopbackHosts.includes(hostname)
}

const roles = operatorRoles.filter((role) => role !== 'contract')
const rolesError = `must be a comma-separated list of group:role, where role is ${roles.join(' or ')}`

const parseGroupRole = (text: string) => {
  // A group may contain colons.
  const separator = text.lastIndexOf(':')
  const group = text.slice(0, Math.max(0, separator))
  const role = roles.find((known) => known === text.slice(separator + 1))
  return group === '' || role === undefined ? null : { group, role }
}

const groupRoles = z.string().transform((text, context) => {
  const parsed = splitList(text).map(parseGroupRole)
  if (parsed.includes(null)) context.addIssue(rolesError)
  return parsed.filter((item) => item !== null)
})

export const singleSignOnSettings = {
  CONSOLE_URL: origin.optional(),
  // Kept as written, because a trailing slash is part of the issuer's name.
  OIDC_ISSUER: asUrl(
    httpUrl.refine(isConfidential, {
      error: 'must be an https URL, or an http URL of this machine (such as http://localhost)',
    }),
  ).optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: apiKey.optional(),
  OIDC_SCOPE: z
    .string()
    .refine((text) => text.split(' ').includes('openid'), { error: 'must contain openid' })
    .default('openid profile email'),
  OIDC_GROUPS_CLAIM: z.string().min(1).default('groups'),
  OIDC_ROLES: groupRoles.default([]),
}

export type SingleSignOnVariables = z.infer<z.ZodObject<typeof singleSignOnSettings>>

const required = 'is missing: it is required if OIDC_ISSUER is set'

export const singleSignOnRules: readonly Rule<SingleSignOnVariables>[] = [
  {
    holds: ({ OIDC_ISSUER, OIDC_CLIENT_ID }) => OIDC_ISSUER === undefined || OIDC_CLIENT_ID !== undefined,
    name: 'OIDC_CLIENT_ID',
    error: required,
    dependsOn: ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  },
  {
    holds: ({ OIDC_ISSUER, OIDC_ROLES }) => OIDC_ISSUER === undefined || OIDC_ROLES.length > 0,
    name: 'OIDC_ROLES',
    error: required,
    dependsOn: ['OIDC_ISSUER', 'OIDC_ROLES'],
  },
]
