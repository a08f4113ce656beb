import { accountExamples } from './examples/account.ts'
import { catalogAnalysisExamples } from './examples/catalog-analysis.ts'
import { mediaExamples } from './examples/media.ts'
import { sharingExamples } from './examples/sharing.ts'
import { trackExamples } from './examples/tracks.ts'
import { workspaceExamples } from './examples/workspace.ts'
import type { SchemaName } from './schema-names.ts'

const examples: Readonly<Record<string, object>> = {
  ...trackExamples,
  ...mediaExamples,
  ...sharingExamples,
  ...workspaceExamples,
  ...accountExamples,
  ...catalogAnalysisExamples,
}

export const findExample = (name: SchemaName): object | undefined => examples[name]

export const exampleOf = (name: SchemaName): object => {
  const value = findExample(name)
  if (value === undefined) throw new Error(`no example of ${name}: add one in contracts/docs/examples`)
  return value
}
