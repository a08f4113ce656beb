import { formatAudit, formatExplanation, formatList } from './format.ts'
import { AuditResponse, EvidenceResponse, ExplainResponse, ListResponse } from './responses.ts'
import { formatQuery, isWholeNumber, jsonFlag, readVerb, type Verb } from './verb.ts'

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
  account: { type: 'string', takes: 'ID', means: 'the account to explain the route for' },
  link: { type: 'string', takes: 'SLUG', means: 'the slug or token of a share link, for share-link routes' },
  json: jsonFlag,
} as const

const explain: Verb = {
  takes: 'explain SCOPE',
  means: 'which side serves a route, why, and what blocks its next step',
  async run(args, send) {
    const { takes, means } = explain
    const { values, operandAt } = readVerb({ takes, means, flags: explainFlags, required: 1 }, args)
    const query = formatQuery({ account: values.account, link: values.link })
    const path = `/api/routes/${encodeURIComponent(operandAt(0))}${query}`
    const json = await send(ExplainResponse, 'GET', path)
    return { json, text: formatExplanation(json) }
  },
}

const evidence: Verb = {
  takes: 'evidence LABEL',
  means: "what is known about a route's code: gate, contract run, comparisons, requests",
  async run(args, send) {
    const { takes, means } = evidence
    const { operandAt } = readVerb({ takes, means, flags: { json: jsonFlag }, required: 1 }, args)
    const path = `/api/routes/${encodeURIComponent(operandAt(0))}/evidence`
    const json = await send(EvidenceResponse, 'GET', path)
    return { json, text: formatExplanation(json) }
  },
}

const maxAuditEntries = 200

const auditFlags = {
  limit: {
    type: 'string',
    takes: 'NUMBER',
    means: `how many changes, at most ${maxAuditEntries}; default: 50`,
  },
  before: { type: 'string', takes: 'EPOCH', means: 'only changes before this epoch' },
  json: jsonFlag,
} as const

const audit: Verb = {
  takes: 'audit SCOPE',
  means: 'who changed what, and why; SCOPE can be a forgotten instance; without it, everything',
  async run(args, send) {
    const { takes, means } = audit
    const { values, operandAt, fail } = readVerb({ takes, means, flags: auditFlags, required: 0 }, args)
    const { limit, before } = values
    if (
      limit !== undefined &&
      !(isWholeNumber(limit) && Number(limit) >= 1 && Number(limit) <= maxAuditEntries)
    )
      fail(`--limit must be a whole number from 1 to ${maxAuditEntries}`)
    if (before !== undefined && !isWholeNumber(before))
      fail('--before must be a whole number up to 2147483647')
    const query = formatQuery({ scope: operandAt(0), limit, before })
    const json = await send(AuditResponse, 'GET', `/api/audit${query}`)
    return { json, text: formatAudit(json) }
  },
}

/** The verbs that change nothing. */
export const readVerbs = { list, explain, evidence, audit }
