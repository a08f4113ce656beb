import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const readme = join(import.meta.dirname, '../../../packages/client/README.md')

export const readCodeBlocks = async (language: 'js' | 'html') =>
  Array.from(
    (await readFile(readme, 'utf8')).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')),
    ([, code = '']) => code,
  )
