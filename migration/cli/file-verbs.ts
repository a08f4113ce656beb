import { readFile } from 'node:fs/promises'
import { Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import * as z from 'zod'
import { formatCommand } from '#shared/format-command.ts'
import { formatCountOf } from '#shared/format-quantity.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { formatChange, wrapText } from './format.ts'
import { AppliedFileResponse, FilePlanResponse, RoutingFileResponse } from './responses.ts'
import { defineVerb, reasonFlag, requireReason, showResponse } from './verb.ts'

const IssuesBody = z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) })

const formatRoutingFile = (file: { readonly routes: object }) => {
  const document = new Document(file)
  document.commentBefore = [
    ' Which side serves each route, for review in git. What you leave out stays as it is; kills and stops override this file.',
    ` To see what it would change: ${formatCommand('routes', 'plan', 'FILE')}`,
    ` To apply it: ${formatCommand('routes', 'apply', 'FILE', '--reason', 'TEXT')}`,
  ].join('\n')
  const routes = document.get('routes')
  if (isMap(routes)) for (const { value } of routes.items) if (isMap(value)) value.flow = true
  return document.toString({ lineWidth: 0, flowCollectionPadding: true }).trimEnd()
}

type Parsed = ReturnType<typeof parseDocument>

// Keys may contain dots, so a path cannot simply be split at them.
const findOffset = (node: unknown, path: string): number | undefined => {
  if (!isMap(node)) return undefined
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue
    const name = String(key.value)
    if (path === name) return key.range?.[0]
    if (path.startsWith(`${name}.`)) return findOffset(value, path.slice(name.length + 1)) ?? key.range?.[0]
  }
  return undefined
}

const listIssues = (error: CommandError, document: Parsed, lineAt: (offset: number) => number) =>
  IssuesBody.safeParse(error.body).data?.issues.map(({ path, message }) => {
    const offset = findOffset(document.contents, path)
    return `${offset === undefined ? '' : `line ${lineAt(offset)}: `}${message}`
  })

const createFileError = (name: string, problems: readonly string[], body?: unknown) =>
  new CommandError(exitCodes.rejected, problems.map((problem) => `${name}: ${problem}`).join('\n'), { body })

const readText = async (name: string, fail: (message: string) => never) =>
  readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) => fail(`cannot read ${name}: ${error.code}`))

const sendRoutingFile = async <T>(
  name: string,
  fail: (message: string) => never,
  send: (file: unknown) => Promise<T>,
): Promise<T> => {
  const lines = new LineCounter()
  const lineAt = (offset: number) => lines.linePos(offset).line
  const document = parseDocument(await readText(name, fail), {
    lineCounter: lines,
    prettyErrors: false,
    // Without this, an account id such as 007 would become a number.
    stringKeys: true,
  })
  const problems = [...document.errors, ...document.warnings].map(
    ({ pos: [offset], message }) => `line ${lineAt(offset)}: ${message}`,
  )
  if (problems.length > 0) throw createFileError(name, problems)
  try {
    return await send(document.toJS({ maxAliasCount: 0 }))
  } catch (error) {
    if (error instanceof ReferenceError) throw createFileError(name, ['aliases are not supported'])
    const issues = error instanceof CommandError && listIssues(error, document, lineAt)
    throw issues ? createFileError(name, issues, error.body) : error
  }
}

const countChanges = ({ changes, refused }: FilePlanResponse) => {
  if (changes.length > 0) return [formatCountOf(changes.length, 'change')]
  return refused.length > 0 ? [] : ['nothing to change']
}

const formatPlan = (plan: FilePlanResponse) => {
  const { changes, kept, refused, drifted } = plan
  const notes = Object.entries({ kept, refused, drifted }).filter(([, { length }]) => length > 0)
  return [
    ...changes.flatMap(({ sentences, warnings }) => [
      sentences.join(' '),
      ...warnings.map((warning) => `warning: ${warning}`),
    ]),
    ...notes.flatMap(([name, ofName]) => ofName.map(({ sentence }) => `${name}: ${sentence}`)),
    [...countChanges(plan), ...notes.map(([name, { length }]) => `${length} ${name}`)].join(', '),
  ].map(wrapText)
}

const exportVerb = defineVerb({
  takes: 'export',
  means: 'prints the state of every route and the overrides as YAML, or as JSON with --json',
  flags: {},
  run: (_, send) => showResponse(send(RoutingFileResponse, 'GET', '/api/routing-file'), formatRoutingFile),
})

const waiveFlag = {
  type: 'boolean',
  means: 'waives unmet checks in your name, as ramp does',
} as const

const plan = defineVerb({
  takes: 'plan FILE',
  means: `what a file would change (exit code ${exitCodes.changes}), what it cannot change, and what has changed since the export`,
  flags: { 'waive-checks': { ...waiveFlag, means: 'plans as if unmet checks were waived' } },
  required: 1,
  async run({ values, operandAt, fail }, send) {
    const waivesChecks = values['waive-checks'] ?? false
    const json = await sendRoutingFile(operandAt(0), fail, (file) =>
      send(FilePlanResponse, 'POST', '/api/routing-file/preview', { file, waivesChecks }),
    )
    const { rejected, changes, done } = exitCodes
    const exitCode = json.refused.length > 0 ? rejected : json.changes.length > 0 ? changes : done
    return { json, text: formatPlan(json).join('\n'), exitCode }
  },
})

const apply = defineVerb({
  takes: 'apply FILE',
  means: 'applies all changes in a file at once, or none of them',
  flags: { reason: reasonFlag, 'waive-checks': waiveFlag },
  required: 1,
  async run({ values, operandAt, fail }, send) {
    const reason = requireReason(values.reason, fail)
    const waivesChecks = values['waive-checks'] ?? false
    const json = await sendRoutingFile(operandAt(0), fail, (file) =>
      send(AppliedFileResponse, 'POST', '/api/routing-file', { file, reason, waivesChecks }),
    )
    const { changes, epoch, adoption } = json
    const adopted = changes.length === 0 ? [] : [formatChange({ demoted: [], warnings: [], epoch, adoption })]
    return { json, text: [...formatPlan(json), ...adopted].join('\n') }
  },
})

export const fileVerbs = { export: exportVerb, plan, apply }
