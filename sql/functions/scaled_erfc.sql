-- name:     scaled_erfc
-- title:    Complementary error function, scaled by exp(x^2)
-- params:   x DOUBLE CHECK (x > 0.46875)
-- range:    [0, 1]
-- formula:  exp(x^2) * erfc(x) for x > 0.46875, rational functions in x up to 4, in 1/x^2 beyond
-- source:   Cody, Mathematics of Computation 1969, doi:10.1090/S0025-5718-1969-0247736-4
-- oracle:   scipy.special.erfcx
-- example:  scaled_erfc(1) = 0.427583576155807
-- note:     relative error below 1e-15; it falls like 1/x where erfc itself underflows
SELECT
    CASE
        WHEN ($x > 0.46875e0 AND NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN $x <= 4e0 THEN list_transform([$x], lambda y:
            ((((((((2.15311535474403846e-8
                * y + 5.64188496988670089e-1)
                * y + 8.88314979438837594e0)
                * y + 6.61191906371416295e1)
                * y + 2.98635138197400131e2)
                * y + 8.81952221241769090e2)
                * y + 1.71204761263407058e3)
                * y + 2.05107837782607147e3)
                * y + 1.23033935479799725e3)
            / ((((((((y + 1.57449261107098347e1)
                * y + 1.17693950891312499e2)
                * y + 5.37181101862009858e2)
                * y + 1.62138957456669019e3)
                * y + 3.29079923573345963e3)
                * y + 4.36261909014324716e3)
                * y + 3.43936767414372164e3)
                * y + 1.23033935480374942e3))[1]
        ELSE list_transform([1e0 / $x / $x], lambda z:
            5.6418958354775628695e-1 - z
            * (((((1.63153871373020978e-2
                * z + 3.05326634961232344e-1)
                * z + 3.60344899949804439e-1)
                * z + 1.25781726111229246e-1)
                * z + 1.60837851487422766e-2)
                * z + 6.58749161529837803e-4)
            / (((((z + 2.56852019228982242e0)
                * z + 1.87295284992346047e0)
                * z + 5.27905102951428412e-1)
                * z + 6.05183413124413191e-2)
                * z + 2.33520497626869185e-3))[1] / $x
    END AS value;
