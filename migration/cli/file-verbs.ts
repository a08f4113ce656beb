import { formatCountOf } from '../model/gate/format-quantity.ts'
import { exitCodes } from './exit-codes.ts'
import { formatChange, wrapText } from './format.ts'
import { AppliedFileResponse, FilePlanResponse, RoutingFileResponse } from './responses.ts'
import { formatRoutingFile, sendRoutingFile } from './routing-file.ts'
import { defineVerb, reasonFlag, requireReason } from './verb.ts'

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
  async run(_, send) {
    const json = await send(RoutingFileResponse, 'GET', '/api/routing-file')
    return { json, text: formatRoutingFile(json) }
  },
})

const waiveFlag = {
  type: 'boolean',
  means: 'waives unmet checks in your name, as ramp does',
} as const

const plan = defineVerb({
  takes: 'plan FILE',
  means: `what a file would change (exit code ${exitCodes.changes}), what it cannot change, and what has changed since the export`,
  flags: { 'waive-checks': waiveFlag },
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
