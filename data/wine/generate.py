"""Write wines.parquet: what two cross-validated models say of 178 wines of three cultivars.

Run it from anywhere: ``python data/wine/generate.py`` (needs scikit-learn and pyarrow, no network).
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

FOLDER = Path(__file__).parent
CULTIVARS = np.array(["barolo", "grignolino", "barbera"])  # of the classes 0, 1 and 2
MODELS = {
    # Newton's method to a tight tolerance: the optimum itself, not where a solver happened to stop.
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cg", tol=1e-10)),
    "tree": DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0),
}

wine = load_wine()
folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
tables = []
for name, model in MODELS.items():
    p = cross_val_predict(model, wine.data, wine.target, cv=folds, method="predict_proba").round(6)
    tables.append(
        pa.table(
            {
                "wine": np.arange(len(p), dtype=np.int64),
                "model": [name] * len(p),
                "cultivar": CULTIVARS[wine.target],
                **{f"p_{cultivar}": p[:, number] for number, cultivar in enumerate(CULTIVARS)},
            }
        )
    )
table = pa.concat_tables(tables)
pq.write_table(table, FOLDER / "wines.parquet", compression="zstd", compression_level=19)
