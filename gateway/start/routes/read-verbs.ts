import { formatAudit, formatExplanation, formatList } from './format.ts'
import { AuditResponse, ExplainResponse, ListResponse } from './responses.ts'
import { jsonFlag, readVerb, type Verb } from './verb.ts'

const formatQuery = (values: Readonly<Record<string, string | undefined>>) => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value)
  return query.size === 0 ? '' : `?${query}`
}

const list: Verb = {
  takes: 'list',
  means: 'the state of every route',
  async run(args, send) {
    readVerb({ takes: 'list', means: list.means, flags: { json: jsonFlag }, required: 0 }, args)
    const json = await send(ListResponse, 'GET', '/api/routes')
    return { json, text: formatList(json) }
  },
}

const explainFlags = {
  account: { type: 'string', takes: 'ID', means: 'the account whose requests are explained' },
  link: { type: 'string', takes: 'SLUG', means: 'the slug or token of the share link, for routes of links' },
  json: jsonFlag,
} as const

const explain: Verb = {
  takes: 'explain SCOPE',
  means: 'which side serves a route, why, and what holds it',
  async run(args, send) {
    const { takes, means } = explain
    const { values, operandAt } = readVerb({ takes, means, flags: explainFlags, required: 1 }, args)
    const query = formatQuery({ account: values.account, link: values.link })
    const path = `/api/routes/${encodeURIComponent(operandAt(0))}${query}`
    const json = await send(ExplainResponse, 'GET', path)
    return { json, text: formatExplanation(json) }
  },
}

const auditFlags = {
  limit: { type: 'string', takes: 'NUMBER', means: 'how many changes, at most 200; 50 by default' },
  before: { type: 'string', takes: 'EPOCH', means: 'only changes before this epoch' },
  json: jsonFlag,
} as const

const audit: Verb = {
  takes: 'audit SCOPE',
  means: 'who changed what, and why; of one scope or all, the newest first',
  async run(args, send) {
    const { takes, means } = audit
    const { values, operandAt } = readVerb({ takes, means, flags: auditFlags, required: 0 }, args)
    const query = formatQuery({ scope: operandAt(0), limit: values.limit, before: values.before })
    const json = await send(AuditResponse, 'GET', `/api/audit${query}`)
    return { json, text: formatAudit(json) }
  },
}

/** The verbs that change nothing. */
export const readVerbs = { list, explain, audit }
