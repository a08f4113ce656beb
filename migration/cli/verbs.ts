import { acceptRestore, changeVerbs, override } from './change-verbs.ts'
import { fileVerbs } from './file-verbs.ts'
import { forget } from './forget-verb.ts'
import { operator } from './operator-verb.ts'
import { readVerbs } from './read-verbs.ts'
import { reproduce } from './reproduce-verb.ts'
import type { Verb } from './verb.ts'

const { audit, ...otherReadVerbs } = readVerbs

export const verbs: ReadonlyMap<string, Verb> = new Map(
  Object.entries({
    ...otherReadVerbs,
    reproduce,
    ...changeVerbs,
    override,
    ...fileVerbs,
    forget,
    'accept-restore': acceptRestore,
    audit,
    operator,
  }),
)
