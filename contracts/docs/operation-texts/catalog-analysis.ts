import type { TextsOf } from './operation-text.ts'

export const catalogAnalysisTexts: TextsOf<'catalog-analysis'> = {
  'catalog-analysis.ask': {
    summary: 'Ask about your catalogue',
    description:
      "Answers a question about the account's catalogue. A client that accepts `text/event-stream` receives the text while it is written. A question without `threadId` starts a new thread.",
    success: 'The answer, which is stored in its thread.',
    body: { message: 'What is missing before I can release my tracks?' },
  },
  'catalog-analysis.threads.list': {
    summary: 'List your threads',
    description: "Returns one page of the account's threads, the most recently changed first.",
    success: 'One page of threads.',
  },
  'catalog-analysis.threads.detail': {
    summary: 'Read a thread',
    description: 'Returns the messages of a thread, oldest first.',
    success: 'The thread with its messages.',
  },
  'catalog-analysis.threads.remove': {
    summary: 'Delete a thread',
    description: 'Deletes a thread and its messages.',
    success: 'The thread was deleted.',
  },
}
