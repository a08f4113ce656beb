import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { createShape, readAcceptedShape, writeAcceptedShape } from './accepted-shape.ts'
import { listBreakingChanges } from './breaking-changes.ts'

const readFlag = (args: readonly string[]) => {
  const { values } = readCommandLine(
    {
      name: 'accept-api',
      does: 'Accepts what was added to the API description.',
      flags: { breaking: { type: 'boolean', means: 'also accepts changes that break clients' } },
    },
    args,
  )
  return values.breaking ?? false
}
const acceptsBreaking = readArgumentsOrExit('accept-api', readFlag, 1)

const shape = createShape()
const changes = listBreakingChanges(readAcceptedShape(), shape)
if (changes.length > 0 && !acceptsBreaking) {
  process.stderr.write(
    `${changes.join('\n')}\nThese changes break clients, so nothing was accepted. Offer the new version under a new path, or keep the old field and add the new one beside it. If no client is affected, run this with --breaking.\n`,
  )
  process.exitCode = 1
} else {
  writeAcceptedShape(shape)
  process.stdout.write('contracts/accepted-api.json: accepted\n')
}
