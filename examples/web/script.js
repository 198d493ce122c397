// The page with classic scripts: murmuration.all.min.js has set the global `murmuration`. The schema is that of schema.js.

(() => {
  const { choice, defineSchema, flag, permanent, text } = murmuration;
  const schema = defineSchema({
    app: 'notebook',
    version: 1,
    budget: { epsilon: 6, per: 'month' },
    reports: 'together',
    metrics: {
      darkMode: flag({ epsilon: 1, description: 'Is dark mode on?' }),
      plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
      favouriteWord: permanent(text({ epsilon: 1, every: 'day', description: 'What is the favourite word?' }), {
        epsilon: 4,
        renew: 'year',
      }),
    },
  });
  startPage(schema, murmuration);
})();
