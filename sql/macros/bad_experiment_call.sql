-- name:     bad_experiment_call
-- title:    Problem of a call of an A/B test that shows without the data, NULL if there is none
-- params:   asked VARCHAR
SELECT
    coalesce(
        CASE
            WHEN len($asked['outcomes']) = 0
                THEN 'metrics: none given; name columns, such as ''revenue, clicks/sessions'''
        END,
        list_extract(list_transform(
            list_filter($asked['outcomes'], lambda one: one['is_broken']),
            lambda one: one['text'] || ': is not a ratio of two columns; write numerator/denominator, and a column '
                || 'whose name has a slash within double quotes'
        ), 1),
        list_extract(list_transform(
            list_filter($asked['outcomes'], lambda one: regexp_full_match(one['text'], '\w+\(.*\)')),
            lambda one: one['text'] || ': is not a column; the macro tests means and ratios of columns, and the '
                || 'command ab quantiles such as p90(latency), too'
        ), 1),
        list_extract(list_filter(list_transform($asked['pre'], lambda pair: CASE
            WHEN pair['name'] IS NULL
                THEN 'pre: ''' || pair['text'] || ''' maps no metric; write ''revenue=revenue_before'''
            WHEN NOT list_contains(list_transform($asked['outcomes'], lambda one: one['name']), pair['name'])
                THEN 'pre: unknown metric ''' || pair['name'] || '''; choose '
                    || array_to_string(list_transform($asked['outcomes'], lambda one: one['name']), ' or ')
            WHEN len(list_filter($asked['pre'], lambda other: other['name'] = pair['name'])) > 1
                THEN 'pre ' || pair['name'] || ': is given twice; name one column'
            WHEN list_contains(list_transform($asked['outcomes'], lambda one:
                CASE WHEN one['denominator'] IS NOT NULL THEN one['name'] END), pair['name'])
                THEN 'pre ' || pair['name'] || ': there is no CUPED of a ratio; leave it out'
            WHEN list_contains(list_transform($asked['outcomes'], lambda one:
                CASE WHEN lower(one['value']) = lower(one['before']) THEN one['name'] END), pair['name'])
                THEN 'pre ' || pair['name'] || ': is the metric itself; name a column from before the experiment'
        END), lambda problem: problem IS NOT NULL), 1),
        list_extract(list_transform(
            list_filter($asked['lower'], lambda name: NOT list_contains(
                list_transform($asked['outcomes'], lambda one: one['name']), name)),
            lambda name: 'lower_is_better: unknown metric ''' || name || '''; choose '
                || array_to_string(list_transform($asked['outcomes'], lambda one: one['name']), ' or ')
        ), 1),
        list_extract(list_filter(list_transform($asked['shares'], lambda pair: CASE
            WHEN pair['name'] IS NULL
                THEN 'shares: ''' || pair['text'] || ''' maps no variant; write ''A=0.5, B=0.5'''
            WHEN len(list_filter($asked['shares'], lambda other: other['name'] = pair['name'])) > 1
                THEN 'shares ' || pair['name'] || ': is given twice; name one share'
            WHEN (TRY_CAST(pair['value'] AS DOUBLE) > 0 AND isfinite(TRY_CAST(pair['value'] AS DOUBLE))) IS NOT TRUE
                THEN 'shares ' || pair['name'] || ': ''' || pair['value']
                    || ''' is not a positive number; write one such as 0.5'
        END), lambda problem: problem IS NOT NULL), 1)
    ) AS value;
